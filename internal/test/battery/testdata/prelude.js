function check(kept, what) { console.log(kept ? "CONTAINED" : "ESCAPED", util.inspect(what).slice(0, 500)) }
function attempt(act) {
  let got
  try { got = act() } catch (error) { return console.log("CONTAINED", String(error).slice(0, 500)) }
  console.log("ESCAPED", util.inspect(got).slice(0, 500))
}
async function reach(start) {
  const got = await new Promise((resolve) => {
    const socket = start().on("error", (error) => resolve(error)).on("connect", () => resolve("connected"))
    setTimeout(() => { socket.destroy?.(); resolve(new Error("nothing answered")) }, 2000)
  })
  check(got instanceof Error, got)
}
void [fs, util, net, child_process, worker_threads, os, v8, vm, path]
