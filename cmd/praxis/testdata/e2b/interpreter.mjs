// Groups of tests of E2B's code interpreter for JavaScript against a server. Each prints one line
// of JSON, as those of groups.mjs do.

import { createRequire } from 'node:module'
import path from 'node:path'

const load = createRequire(path.join(process.env.E2B_TEST_MODULES ?? process.cwd(), 'x.js'))
const { Sandbox } = load('@e2b/code-interpreter')

let box // the sandbox of the groups, which leave it as it is
const groups = {}

class Unsupported extends Error {}

function assert(right, what) {
  if (!right) throw new Error(`wrong: ${typeof what === 'string' ? what : JSON.stringify(what)}`)
}

async function value(code, options) {
  const x = await box.runCode(code, options)
  assert(!x.error, x.error)
  return x.text
}

groups.python = async () => {
  assert((await value('x = 1; x')) === '1', 'a value')
  assert((await value('\n    x += 1\n    x\n')) === '2', 'indented code')
}

groups.streams = async () => {
  const seen = []
  const x = await box.runCode('import sys\nprint(1)\nprint(2, file=sys.stderr)\n3', {
    onStdout: (m) => seen.push(['out', m.line]), onStderr: (m) => seen.push(['err', m.line]), onResult: (r) => seen.push(['result', r.text, r.isMainResult]),
  })
  assert(JSON.stringify(seen) === '[["out","1\\n"],["err","2\\n"],["result","3",true]]', seen)
  assert(x.logs.stdout.join('') === '1\n' && x.executionCount > 0, x)
}

groups.errors = async () => {
  const { error } = await box.runCode('no_such_name')
  assert(error.name === 'NameError' && error.value === "name 'no_such_name' is not defined" && error.traceback.includes('----> 1 no_such_name'), error)
}

groups.results = async () => {
  let x = await box.runCode("import pandas as pd\npd.DataFrame({'a': [1, float('nan')]})")
  assert(JSON.stringify(x.results[0].data) === '{"a":[1,null]}' && x.results[0].html.includes('<table'), x.results)
  x = await box.runCode("import matplotlib.pyplot as plt\nplt.pie([90, 10], labels=['No', 'Yes']); plt.title('T'); plt.show()")
  const { chart, png } = x.results[0]
  assert(png && chart.type === 'pie' && chart.title === 'T' && chart.elements[0].angle === 324, chart)
}

groups.javascript = async () => {
  const at = { language: 'js' }
  assert((await box.runCode("console.log('Hello')", at)).logs.stdout.join('') === 'Hello\n', 'a log')
  assert((await value("import path from 'node:path'\npath.join('a', 'b')", at)) === 'a/b', 'an import')
  await value('const z = 1', at)
  assert((await value('await Promise.resolve(z)', at)) === '1', 'await')
  assert((await value('const n: number = 2\nn', { language: 'ts' })) === '2', 'TypeScript')
}

groups.variables = async () => {
  const get = "import os; os.getenv('FOO', 'none')"
  assert((await value(get, { envs: { FOO: 'bar' } })) === 'bar' && (await value(get)) === 'none', 'of a call')
}

groups.contexts = async () => {
  const c = await box.createCodeContext({ cwd: '/tmp', language: 'js' })
  assert(c.language === 'javascript' && (await value('process.cwd()', { context: c })) === '/tmp', c)
  assert((await box.listCodeContexts()).at(-1).id === c.id, 'the last one')
  await box.restartCodeContext(c)
  await box.removeCodeContext(c)
  const left = await box.listCodeContexts()
  assert(!left.some((o) => o.id === c.id), left)
}

groups.interrupt = async () => {
  await value('kept = 1')
  let error
  await box.runCode('import time; time.sleep(60)', { timeoutMs: 2000 }).catch((e) => (error = e))
  assert(error?.name === 'TimeoutError', String(error))
  assert((await value('kept + 1', { timeoutMs: 20000 })) === '2', 'what follows')
}

groups.java = async () => {
  let error
  await box.runCode('1', { language: 'java' }).catch((e) => (error = e))
  assert(error?.message.includes('not supported') || String(error).includes('400'), String(error))
  throw new Unsupported('there is no kernel of Java')
}

const names = process.argv.slice(2)
const chosen = Object.entries(groups).map(([name, f]) => ['code_' + name, f]).filter(([name]) => !names.length || names.includes(name))
if (chosen.length) box = await Sandbox.create({ timeoutMs: 600_000 })
for (const [name, f] of chosen) {
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
await box?.kill()
process.exit(0)
