package cmd

import "github.com/spf13/cobra"

// registerOIDC adds the flags that say whose tokens are accepted beside keys.
func (s *serveCommand) registerOIDC(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&s.oidc.Issuer, "oidc-issuer", "", "`URL` of the OpenID Connect issuer whose tokens are accepted beside keys")
	fs.StringVar(&s.oidc.Audience, "oidc-audience", "", "`NAME` that its tokens for this server have as their audience")
	fs.StringVar(&s.oidc.TenantClaim, "oidc-tenant-claim", "", "`CLAIM` that names the tenant (default: everybody belongs to the default tenant)")
	fs.StringVar(&s.oidc.ScopesClaim, "oidc-scopes-claim", "", "`CLAIM` that lists scopes: read, run, approve, admin (default: everybody may read and run)")
}

// checkOIDC refuses flags that say nothing without another.
func (s *serveCommand) checkOIDC() error {
	c := s.oidc
	switch {
	case c.Issuer == "" && (c.Audience != "" || c.TenantClaim != "" || c.ScopesClaim != ""):
		return usage("praxis serve", "--oidc-audience and the claims need --oidc-issuer")
	case c.Issuer != "" && c.Audience == "":
		return usage("praxis serve", "--oidc-issuer needs --oidc-audience: tokens that the issuer made for others would be accepted")
	}
	return nil
}
