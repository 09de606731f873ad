"""What the official client of Python gets of the door, over HTTP in both generations of the
protocol, and over a pair of streams."""

import asyncio
import base64
import sys

from mcp import Client, StdioServerParameters
from mcp_types import ElicitResult

url, program = sys.argv[1:]


async def agrees(context, params):
    assert "notes.save" in params.message, params
    return ElicitResult(action="accept", content={"decision": "run"})


async def tour(server, mode):
    seen = []

    async def progress(done, total, message):
        seen.append(message)

    async with Client(server, mode=mode, elicitation_callback=agrees) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"run_code", "write_file", "read_file", "list_files", "ask", "run_plan", "search_runs"} <= names, names
        first = await client.call_tool("run_code", {"code": "set a\npicture\nvalue 42"}, progress_callback=progress)
        assert not first.is_error and first.structured_content["result"] == "42", first
        picture = [c for c in first.content if c.type == "image"][0]
        assert picture.mime_type == "image/png" and base64.b64decode(picture.data) == b"PNG", picture
        assert any("running: set a" in m for m in seen), seen
        session = first.structured_content["session"]
        again = await client.call_tool("run_code", {"code": "get a", "session": session})
        assert again.content[0].text == "a is true", again
        failed = await client.call_tool("run_code", {"code": "raise ValueError no", "session": session})
        assert failed.is_error and failed.structured_content["error"]["name"] == "ValueError", failed
        await client.call_tool("write_file", {"path": "a.csv", "text": "a,b\n", "session": session})
        read = await client.read_resource(f"praxis://sessions/{session}/files/work/a.csv")
        assert read.contents[0].text == "a,b\n", read
        plan = "from tools import notes\nprint(notes.save(text='one'))\n"
        done = await client.call_tool("run_plan", {"plan": plan})
        assert "saved one" in done.structured_content["output"], done
        print("done", mode)


async def main():
    for mode in ("legacy", "auto"):
        await tour(url, mode)
        await tour(StdioServerParameters(command=program, env={"PRAXIS_TEST_CHILD": "yes"}), mode)


asyncio.run(main())
