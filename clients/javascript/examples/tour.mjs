// What a server does for a program: node tour.mjs [CODE [MODEL]]
//
// The address and the key of the server are PRAXIS_SERVER and PRAXIS_KEY; for one on this machine
// neither is needed. With a model (PROVIDER:NAME) a question is asked at the end.

import { Praxis, PraxisError } from "praxis-client";

const [code = "print('units:', 3 + 5)", model] = process.argv.slice(2);
const sales = "region,units\neu,3\nus,5\n";

const p = new Praxis();
const s = await p.session({ metadata: { for: "tour" } });
try {
  const result = await s.run(code);
  console.log("run:", result.status, result.stdout.length, "characters");

  await s.write("sales.csv", sales);
  console.log("files:", ...(await s.files()).map((f) => f.path));
  console.log("read:", (await s.read("sales.csv")).length, "bytes");

  const events = s.stream(code);
  for await (const event of events) {
    if (event.name === "output") console.log("output:", event.data.text.trim());
  }
  console.log("stream:", events.result.status);

  const [twin] = await s.fork(); // goes on by itself
  console.log("fork:", (await twin.run(code)).check().status);
  await twin.delete();

  await p.attach("nobody").catch((error) => {
    if (error instanceof PraxisError) console.log("error:", error.kind, error.status);
  });

  if (model) {
    const answer = p.ask("How many units were sold?", { files: { "sales.csv": sales }, model, stream: true });
    for await (const event of answer) {
      if (event.name === "execution_began" && !event.data.purpose) console.log("code:", event.data.code.trim());
    }
    console.log("answer:", answer.result.text, answer.result.verified ? "(verified)" : "");
    console.log("record:", (await p.records.verify({ record: answer.result.record })).status);
  }
} finally {
  await s.delete();
}
