package api

import (
	"context"
	"net/http"

	"praxis/internal/server/access"
	"praxis/internal/server/audit"
	"praxis/internal/server/usage"
)

// AuditQuery asks for the newest entries of the audit log.
type AuditQuery struct {
	Limit int `json:"limit,omitempty" in:"query" jsonschema:"0: 100"`
}

// AuditEntries is a list of entries, the newest first.
type AuditEntries struct {
	Entries []audit.Entry `json:"entries"`
}

// Use is what was used, and how much may be.
type Use struct {
	Tenant usage.Account             `json:"tenant"`
	Key    usage.Account             `json:"key" jsonschema:"by the key of the call"`
	Months map[string]access.Amounts `json:"months" jsonschema:"of the tenant, this one and those before"`
	Quota  access.Quota              `json:"quota" jsonschema:"of the tenant; what is left out is not bounded"`
	Own    access.Quota              `json:"key_quota" jsonschema:"of the key"`
}

// operating are the operations for those who look after a tenant.
func operating() []Operation {
	return []Operation{
		operation("usage.get", http.MethodGet, "/usage", access.Read, http.StatusOK, "Say what the tenant and the key used today and this month, and how much they may.",
			func(_ context.Context, c *Call, _ Nothing) (Use, error) {
				tenant, own, err := c.Server.Quota(c.Key)
				used, byKey := c.Tenant.Usage.Used(c.Key.ID)
				return Use{used, byKey, c.Tenant.Usage.Months(), tenant, own}, err
			}),
		operation("audit.list", http.MethodGet, "/audit", access.Admin, http.StatusOK, "List who did more than read, or was refused, in the caller's tenant; the newest first.",
			func(_ context.Context, c *Call, in AuditQuery) (AuditEntries, error) {
				most, err := limit(in.Limit, "entries")
				if err != nil {
					return AuditEntries{}, err
				}
				list, err := c.Server.Audit.List(c.Tenant.Name, most)
				return AuditEntries{append([]audit.Entry{}, list...)}, err
			}),
	}
}
