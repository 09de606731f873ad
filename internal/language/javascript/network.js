// The way out of the sandbox, which the environment names. Node reads these variables once,
// when it starts; a kernel may be older than the network that its session is given, and
// outlive it.
'use strict';

const fs = require('node:fs');

const PROXIES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'];
const NONE = { http_proxy: 'http://localhost', https_proxy: 'http://localhost', no_proxy: '*' }; // passed by for every host
const MAX_BUNDLE = 8 << 20; // bytes of certificates

// follow makes fetch, node:http and node:https go where process.env says now, and trust what
// it names.
function follow() {
  require('node:http').setGlobalProxyFromEnv(PROXIES.some((name) => process.env[name]) ? process.env : NONE);
  const tls = require('node:tls');
  const file = process.env.NODE_EXTRA_CA_CERTS;
  const certificates = [...tls.getCACertificates('bundled')];
  if (file && fs.statSync(file).size <= MAX_BUNDLE) certificates.push(fs.readFileSync(file, 'utf8'));
  tls.setDefaultCACertificates(certificates);
}

module.exports = { follow };
