"""The package of urllib.parse; what opens addresses is left to tools."""
