package server

import (
	"context"
	"strconv"

	"golang.org/x/time/rate"

	"praxis/fault"
	"praxis/internal/server/access"
	"praxis/internal/server/live"
	"praxis/internal/server/observe"
	"praxis/internal/server/usage"
)

// quota returns how much a tenant may use, and how much a key may.
func (s *Server) quota(k access.Key) (tenant, own access.Quota, err error) {
	tenant, err = s.quotas.Get(k.Tenant)
	return tenant.Least(s.cfg.Quota), k.Quota, err
}

// quotaOf is quota for the id of a key. One that is gone bounds nothing.
func (s *Server) quotaOf(tenant, key string) (all, own access.Quota, err error) {
	k, err := s.shared.Keys.Get(key)
	if err != nil {
		return s.cfg.Quota, access.Quota{}, err
	}
	return s.quota(access.Key{ID: key, Tenant: tenant, Quota: k.Quota})
}

// admit keeps to the requests that a tenant may make in a second, and those with a key.
func (s *Server) admit(k access.Key) error {
	tenant, own, err := s.quota(k)
	if err != nil {
		return err
	}
	if tenant.Requests == 0 {
		tenant.Requests = s.cfg.Requests
	}
	for _, l := range []struct {
		whose, name string
		rate        float64
	}{{"key", "key " + k.ID, own.Requests}, {"tenant", "tenant " + k.Tenant, tenant.Requests}} {
		if l.rate > 0 && !s.limiter(l.name, l.rate).Allow() {
			return fault.Coded(fault.RequestsUsedUp, fault.Data{"whose": l.whose, "limit": strconv.FormatFloat(l.rate, 'g', -1, 64), "retry_after_s": "1"},
				"cannot answer: the %s sends more than %g requests a second", l.whose, l.rate)
		}
	}
	return nil
}

// maxLimiters bounds the limiters that are kept: those of tenants and keys that are used.
const maxLimiters = 20_000

// limiter returns what counts the requests of a tenant or a key.
func (s *Server) limiter(name string, most float64) *rate.Limiter {
	burst := max(1, int(most*float64(s.cfg.Burst)/s.cfg.Requests))
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.limits[name]
	if l == nil {
		if len(s.limits) >= maxLimiters {
			clear(s.limits) // each has its burst again
		}
		l = rate.NewLimiter(rate.Limit(most), burst)
		s.limits[name] = l
	}
	if l.Limit() != rate.Limit(most) {
		l.SetLimit(rate.Limit(most))
		l.SetBurst(burst)
	}
	return l
}

// begins says why nothing new may begin on behalf of whoever asks, by a tenant's ledger.
func (s *Server) begins(tenant string, l *usage.Ledger) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		by := observe.From(ctx).Key
		quota, own, err := s.quotaOf(tenant, by)
		if err != nil {
			return err
		}
		return l.Check(by, quota, own)
	}
}

// bounds says what the sessions of a tenant may have, and those that a key made.
func (s *Server) bounds(tenant string) func(key string) (all, own live.Bounds) {
	return func(key string) (all, own live.Bounds) {
		quota, mine, err := s.quotaOf(tenant, key)
		if err != nil {
			s.cfg.Failed(tenant, "", err) // a file was damaged since the server began: its own bounds stay
		}
		return live.Bounds{Sessions: quota.Sessions, Memory: quota.Memory}, live.Bounds{Sessions: mine.Sessions, Memory: mine.Memory}
	}
}
