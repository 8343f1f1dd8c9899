import { flag, readFlags, readOrExplain } from "@kintsugi/daemon";
import { isBuilt } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";
import { runFuzz } from "./run-fuzz.ts";

const program = {
  name: "npm run fuzz --",
  description: "Sends drawn requests of seven identities to an API server and looks at every answer.",
};
const flags = {
  minutes: flag.number({ help: "How long requests are sent", min: 0.05, fallback: 1 }),
  seed: flag.count({ help: "The same requests in the same order; else drawn" }),
  json: flag.switch({ help: "Print the report as one JSON object" }),
};

const values = readOrExplain("fuzz", () => readFlags(program, flags, process.argv.slice(2)));
if (!isBuilt(repository)) {
  process.stderr.write("fuzz: run `npm run bundle` first\n");
  process.exit(1);
}
const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stopping.abort());
const report = await runFuzz({
  seed: values.seed ?? Math.floor(Math.random() * 1_000_000),
  durationMs: values.minutes * 60_000,
  signal: stopping.signal,
  say: (line) => process.stderr.write(`${line}\n`),
});
if (values.json) console.log(JSON.stringify(report, null, 2));
else {
  for (const { request, because } of report.findings) console.log(`\n${because}\n\n${request}\n`);
  const answers = Object.entries(report.answers).map(([status, count]) => `${count} × ${status}`);
  const rightful = Object.entries(report.rightful).map(([name, count]) => `${count} × ${name}`);
  const [warm, end] = report.rssMegabytes;
  console.log(`seed ${report.seed}: ${report.requests} requests to ${report.routes} routes; ${answers.join(", ")}`);
  console.log(`answers of 500 and more that are right: ${rightful.join(", ") || "none"}`);
  console.log(
    `the server took ${warm} MB when it was warm and ${end} MB at the end; ${report.findings.length} findings`,
  );
}
process.exit(report.findings.length === 0 ? 0 : 1);
