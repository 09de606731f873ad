// Reads Arrow streams that were damaged: every one is a table or an error, soon.
const fs = require('fs');
const SEEDS = ['all', 'polars', 'list', 'zstd'].map((name) => fs.readFileSync(`/work/${name}.arrow`));
const HEAD = Buffer.from('{"praxis":1,"kind":"table","encoding":"arrow"}\n');
let state = 1;
const random = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 4294967296) * n);
};
function damaged() {
  if (random(10) === 0) return Buffer.from(Array.from({ length: random(400) }, () => random(256)));
  let out = Buffer.from(SEEDS[random(SEEDS.length)]);
  for (let k = random(6); k >= 0 && out.length; k--) {
    const at = random(out.length);
    switch (random(4)) {
      case 0: out[at] = random(256); break;
      case 1: out[at] ^= 1 << random(8); break;
      case 2: if (at + 4 <= out.length) out.writeInt32LE([0, -1, 0x7fffffff, 1 << random(31)][random(4)], at); break;
      default: if (random(5) === 0) out = out.subarray(0, at);
    }
  }
  return out;
}
praxis.share('first', 1); // makes the folder
const count = { tables: 0, errors: 0 };
for (let i = 0; i < ROUNDS; i++) {
  fs.writeFileSync('/tmp/.praxis-shared/bad', Buffer.concat([HEAD, damaged()]));
  try {
    praxis.shared('bad');
    count.tables++;
  } catch (error) {
    if (!/^cannot read the shared value bad: it |^cannot read the shared value bad: (a|the|its) /.test(error.message)) throw error;
    count.errors++;
  }
}
count.tables > 0 && count.errors > count.tables;
