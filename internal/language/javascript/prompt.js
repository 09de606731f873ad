// what a person at a prompt asks for beside code
(async (what, text, code) => {
  const util = process.getBuiltinModule('node:util');
  const kernel = globalThis[Symbol.for('praxis.kernel')];
  if (what === 'inspect') {
    let value;
    try {
      value = kernel.expression(text).value;
    } catch (error) {
      console.error(`${error?.name}: ${error?.message}`);
      return;
    }
    const shown = util.inspect(value, { depth: 1 });
    if (typeof value === 'function') {
      const source = Function.prototype.toString.call(value);
      console.log(/^[^{]*?(?=\s*(?:\{|=>))/s.exec(source)?.[0].slice(0, 400) || text);
      console.log('type:', /^class\b/.test(source) ? 'class' : 'function');
      if (!/\[native code\]/.test(source)) console.log(`\n${source.slice(0, 4000)}`);
      return;
    }
    console.log(shown.length <= 400 ? shown : `${shown.slice(0, 400)}…`);
    console.log('type:', value === null ? 'null' : typeof value === 'object' ? value.constructor?.name ?? 'object' : typeof value);
    if (typeof value?.length === 'number') console.log('length:', value.length);
  } else if (what === 'shell') {
    const { status, signal } = process.getBuiltinModule('node:child_process').spawnSync('/bin/sh', ['-c', text], { stdio: ['inherit', 'inherit', 'inherit'] });
    if (status || signal) console.error(`[exit code ${signal ?? status}]`);
  } else {
    const run = kernel.measured(text);
    const once = async (loops) => {
      const begun = performance.now();
      for (let i = 0; i < loops; i++) {
        const value = run();
        if (util.types.isPromise(value)) await value;
      }
      return (performance.now() - begun) / 1e3;
    };
    let loops = 1, took = await once(1);
    while (took < 0.2 && loops < 1e7) took = await once(loops *= took > 0.02 ? Math.ceil(0.2 / took) : 10);
    const runs = [took / loops];
    for (let i = 0; i < 4; i++) runs.push(await once(loops) / loops);
    const show = (s) => {
      const [size, unit] = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']].find(([least]) => s >= least) ?? [1e-9, 'ns'];
      return `${Number((s / size).toPrecision(3))} ${unit}`;
    };
    console.log(`${show(Math.min(...runs))} per loop, the best of ${runs.length} runs of ${loops.toLocaleString('en')} loops; the worst ${show(Math.max(...runs))}`);
  }
})
