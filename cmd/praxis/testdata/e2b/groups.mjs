// Groups of tests of E2B's JavaScript client against a server; see groups.py, whose names and
// lines these are.

import { createRequire } from 'node:module'
import path from 'node:path'

const load = createRequire(path.join(process.env.E2B_TEST_MODULES ?? process.cwd(), 'x.js'))
const { Sandbox } = load('e2b')

const URL_ = process.env.E2B_SANDBOX_URL
const HOST = process.env.E2B_TEST_HOST
const groups = {}

class Unsupported extends Error {}

function assert(ok, what) {
  if (!ok) throw new Error('not so: ' + (typeof what === 'string' ? what : JSON.stringify(what)))
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

async function fails(f, ...kinds) {
  let out
  try {
    out = await f()
  } catch (e) {
    assert(!kinds.length || kinds.includes(e.name), `${e.name}: ${e.message}`)
    return e
  }
  throw new Error('it does not fail: ' + JSON.stringify(out))
}

async function refused(f) {
  const text = (await fails(f)).message.split('\n')[0]
  assert(/not supported|invalid username|outside of the session/.test(text), text)
  throw new Unsupported(text)
}

async function until(f, what) {
  for (let i = 0; i < 200; i++) {
    if (await f()) return
    await sleep(100)
  }
  throw new Error('not so in time: ' + what)
}

const tunnel = process.env.E2B_TEST_PROXY ? { proxy: process.env.E2B_TEST_PROXY } : {}

const made = (options = {}) => {
  const { template, ...rest } = { timeoutMs: 120_000, ...tunnel, ...options }
  return template ? Sandbox.create(template, rest) : Sandbox.create(rest)
}

async function box(options, f) {
  const s = await made(options)
  try {
    return await f(s)
  } finally {
    await s.kill()
  }
}

async function request(s, port, where = '/', headers = {}, body) {
  const own = { 'E2b-Sandbox-Id': s.sandboxId, 'E2b-Sandbox-Port': String(port) }
  const url = where.startsWith('http') ? where : (URL_ ?? `https://${s.getHost(port)}`) + where
  const res = await fetch(url, { method: body ? 'POST' : 'GET', headers: URL_ ? { ...own, ...headers } : headers, body })
  return [res.status, await res.text()]
}

groups.create = () =>
  box({ envs: { A: 'b' } }, async (s) => {
    assert(await s.isRunning(), 'it runs')
    const r = await s.commands.run('echo $A $E2B_SANDBOX; pwd; whoami')
    assert(r.stdout === 'b true\n/home/user\nuser\n', r)
    const i = await s.getInfo()
    assert(i.sandboxId === s.sandboxId && i.state === 'running', i)
    await fails(() => made({ template: 'no-such-template' }))
  })

groups.connect = async () => {
  const id = await box({}, async (s) => {
    const other = await Sandbox.connect(s.sandboxId, tunnel)
    await s.files.write('a', '1')
    assert((await other.files.read('a')) === '1', 'the same files')
    return s.sandboxId
  })
  await fails(() => Sandbox.connect(id, tunnel), 'SandboxNotFoundError', 'NotFoundError')
}

groups.timeout = () =>
  box({ timeoutMs: 60_000 }, async (s) => {
    const before = (await s.getInfo()).endAt
    await s.setTimeout(200_000)
    assert((await s.getInfo()).endAt > before, 'it lasts longer')
    await s.setTimeout(1000)
    await until(async () => !(await s.isRunning()), 'the sandbox ends')
    await fails(() => s.commands.run('true'))
  })

groups.kill = async () => {
  const s = await made()
  assert((await s.kill()) !== false, 'it is killed')
  assert(!(await s.isRunning()), 'it does not run')
  assert(!(await Sandbox.kill(s.sandboxId)), 'it is not killed twice')
}

groups.listing = () =>
  box({ metadata: { g: 'lj' } }, (a) =>
    box({ metadata: { g: 'lj' } }, (b) =>
      box({ metadata: { g: 'lj' } }, async (c) => {
        const ids = []
        const pages = Sandbox.list({ query: { metadata: { g: 'lj' } }, limit: 2 })
        while (pages.hasNext) ids.push(...(await pages.nextItems()).map((x) => x.sandboxId))
        assert(ids.sort().join() === [a, b, c].map((x) => x.sandboxId).sort().join(), ids)
        await b.pause()
        const paused = await Sandbox.list({ query: { metadata: { g: 'lj' }, state: ['paused'] } }).nextItems()
        assert(paused.length === 1 && paused[0].sandboxId === b.sandboxId, paused)
      })
    )
  )

groups.metadata = () =>
  box({ metadata: { 'a b': 'c=d&ej', ü: 'ß' } }, async (s) => {
    const i = await s.getInfo()
    assert(i.metadata['a b'] === 'c=d&ej' && i.metadata['ü'] === 'ß', i)
    const found = await Sandbox.list({ query: { metadata: { 'a b': 'c=d&ej' } } }).nextItems()
    assert(found.length === 1 && found[0].sandboxId === s.sandboxId, found)
  })

groups.commands = () =>
  box({}, async (s) => {
    let out = '', err = ''
    const r = await s.commands.run('echo out; echo err >&2; cd /tmp; pwd', { onStdout: (x) => (out += x), onStderr: (x) => (err += x) })
    assert(r.stdout === 'out\n/tmp\n' && r.stderr === 'err\n' && out === r.stdout && err === r.stderr, r)
    assert((await fails(() => s.commands.run('exit 3'), 'CommandExitError')).exitCode === 3, 'the code')
    assert((await s.commands.run('pwd; echo $X', { cwd: '/etc', envs: { X: 'y' } })).stdout === '/etc\ny\n', 'folder and variable')
    await fails(() => s.commands.run('pwd', { cwd: '/home/user/none' }), 'InvalidArgumentError')
    await fails(() => s.commands.run('sleep 60', { timeoutMs: 1000 }), 'TimeoutError')
  })

groups.background = () =>
  box({}, async (s) => {
    const h = await s.commands.run('for i in 1 2 3 4; do sleep 0.3; echo $i; done', { background: true })
    assert((await s.commands.list()).some((p) => p.pid === h.pid), 'it is listed')
    await h.disconnect()
    const again = await s.commands.connect(h.pid)
    assert((await again.wait()).stdout.endsWith('4\n'), 'it goes on')
    await fails(() => s.commands.connect(h.pid), 'NotFoundError')
    const last = await s.commands.run('sleep 100', { background: true })
    setTimeout(() => s.kill(), 1000)
    await fails(() => last.wait())
  })

groups.stdin = () =>
  box({}, async (s) => {
    const h = await s.commands.run('cat; echo end', { background: true, stdin: true })
    await s.commands.sendStdin(h.pid, 'a\n')
    await s.commands.closeStdin(h.pid)
    assert((await h.wait()).stdout === 'a\nend\n', 'what was sent')
  })

groups.signals = () =>
  box({}, async (s) => {
    const h = await s.commands.run('sleep 100', { background: true })
    assert(await h.kill(), 'it is killed')
    assert((await fails(() => h.wait(), 'CommandExitError')).exitCode !== 0, 'the code')
    assert(!(await s.commands.kill(h.pid)), 'it is not killed twice')
  })

groups.pty = () =>
  box({}, async (s) => {
    let text = ''
    const t = await s.pty.create({ rows: 24, cols: 80, onData: (d) => (text += new TextDecoder().decode(d)) })
    await s.pty.resize(t.pid, { rows: 31, cols: 101 })
    await s.pty.sendInput(t.pid, new TextEncoder().encode("stty size; echo he''llo $TERM; exit\n"))
    await t.wait()
    assert(text.includes('31 101') && text.includes('hello xterm'), text)
  })

groups.files = () =>
  box({}, async (s) => {
    await s.files.write([{ path: 'x/1', data: 'a' }, { path: 'x/2', data: new Uint8Array([0, 255]).buffer }])
    const bytes = await s.files.read('x/2', { format: 'bytes' })
    assert(bytes.length === 2 && bytes[1] === 255, [...bytes])
    assert(await s.files.exists('x/1'), 'it is there')
    assert(!(await s.files.exists('x/9')), 'it is not there')
    assert(await s.files.makeDir('d/e'), 'it is made')
    assert(!(await s.files.makeDir('d/e')), 'it is there')
    assert((await s.files.list('x')).map((e) => e.name).join() === '1,2', 'the list')
    assert((await s.files.rename('x/1', 'y/3')).path === '/home/user/y/3', 'it is moved')
    await s.files.remove('x')
    assert(!(await s.files.exists('x')), 'it is removed')
    const i = await s.files.getInfo('y/3')
    assert(i.size === 1 && i.permissions === '-rw-r--r--' && i.owner === 'user' && i.type === 'file', i)
    await fails(() => s.files.read('none'), 'NotFoundError', 'FileNotFoundError')
    await fails(() => s.files.list('none'), 'NotFoundError', 'FileNotFoundError')
  })

groups.watch = () =>
  box({}, async (s) => {
    await s.files.write('w/a', '1')
    const seen = []
    const h = await s.files.watchDir('w', (e) => seen.push(`${e.name} ${e.type}`), { recursive: true })
    const saw = (text) => until(() => seen.includes(text), `${text}: ${seen}`)
    await s.files.write('w/a', '22')
    await saw('a write')
    await s.files.write('w/d/b', '1')
    await saw('d/b create')
    await s.files.remove('w/a')
    await saw('a remove')
    await h.stop()
  })

groups.pause = () =>
  box({}, async (s) => {
    await s.files.write('a', '1')
    const h = await s.commands.run('sleep 500', { background: true })
    h.wait().catch(() => {})
    await s.pause()
    assert(!(await s.isRunning()), 'it does not run')
    await s.connect()
    assert((await s.files.read('a')) === '1', 'the file')
    assert((await s.commands.list()).some((p) => p.pid === h.pid), 'the process')
  })

groups.auto_resume = () =>
  box({ timeoutMs: 1000, lifecycle: { onTimeout: 'pause', autoResume: true } }, async (s) => {
    await until(async () => (await s.getInfo()).state === 'paused', 'the sandbox is paused')
    assert((await s.commands.run('echo 1')).stdout === '1\n', 'it is resumed')
  })

groups.snapshots = () =>
  box({}, async (s) => {
    await s.files.write('a', '1')
    const snapshot = await s.createSnapshot()
    await s.files.write('a', '2')
    try {
      await box({ template: snapshot.snapshotId }, async (t) => assert((await t.files.read('a')) === '1', 'the state'))
    } finally {
      assert(await Sandbox.deleteSnapshot(snapshot.snapshotId, tunnel), 'it is deleted')
    }
  })

groups.fork = () =>
  box({}, async (s) => {
    await s.files.write('a', '1')
    for (const t of await s.fork({ count: 2, timeoutMs: 120_000 })) {
      const fork = t.sandbox ?? t
      assert((await fork.files.read('a')) === '1', 'the state')
      await fork.kill()
    }
  })

groups.secure = () =>
  box({}, async (s) => {
    await s.files.write('a', '1')
    assert((await request(s, 49983, '/files?path=a'))[0] === 401, 'without a token')
    const url = await s.downloadUrl('a', { useSignatureExpiration: 60_000 })
    assert((await request(s, 49983, url)).join() === '200,1', 'signed')
    assert((await request(s, 49983, url + 'x'))[0] === 401, 'forged')
  })

groups.ports = () =>
  box({}, async (s) => {
    await s.files.write('index.html', 'served')
    await s.commands.run('python3 -m http.server 8000', { background: true })
    await until(async () => (await request(s, 8000)).join() === '200,served', 'the port answers')
    const [status, text] = await request(s, 8001)
    assert(status === 502 && JSON.parse(text).port === 8001, text)
  })

groups.network = async () => {
  if (!HOST) throw new Unsupported('the operator of this server lets code reach no host')
  const get = `python3 -c "import urllib.request as u; print(u.urlopen('http://${HOST}/').status)"`
  await box({}, async (s) => {
    assert((await s.commands.run(get)).stdout === '200\n', 'the host is reached')
    await s.updateNetwork({ denyOut: ['0.0.0.0/0'] })
    await fails(() => s.commands.run(get), 'CommandExitError')
  })
  await box({ allowInternetAccess: false }, async (s) => fails(() => s.commands.run(get), 'CommandExitError'))
}

groups.metrics = () =>
  box({}, async (s) => {
    const m = await s.getMetrics()
    assert(m.length && m[0].memUsed > 0 && m[0].cpuCount > 0, m)
  })

groups.root_user = () => box({}, (s) => refused(() => s.commands.run('id', { user: 'root' })))
groups.files_elsewhere = () => box({}, (s) => refused(() => s.files.read('/etc/hostname')))
groups.mcp = () => refused(() => made({ mcp: { browserbase: {} } }))

groups.many = () => {
  const count = Number(process.env.E2B_TEST_MANY ?? 4)
  return Promise.all([...Array(count).keys()].map((n) => box({}, async (s) => assert((await s.commands.run(`echo ${n}`)).stdout === `${n}\n`, n))))
}

const names = process.argv.slice(2)
for (const [name, f] of Object.entries(groups)) {
  if (names.length && !names.includes(name)) continue
  let status = 'pass', reason = ''
  try {
    await f()
  } catch (e) {
    status = e instanceof Unsupported ? 'not supported' : 'fail'
    reason = e instanceof Unsupported ? e.message : `${e.name}: ${e.message}`.slice(0, 400)
    if (status === 'fail') console.error(e)
  }
  console.log(JSON.stringify({ group: name, status, reason }))
}
process.exit(0)
