// Adds a line `survived: …` to the ledger in docs/reliability.md, with today's date and this
// machine. Usage: node tools/add-survived.mjs "survived: …" [the search]; without arguments the
// line is read from the input.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { addToLedger, readSurvived } from "./survived.mjs";

const [text = readFileSync(0, "utf8"), by = "`npm run endure`"] = process.argv.slice(2);
const found = readSurvived(text);
if (found === undefined) {
  console.error("add-survived: there is no line that begins with `survived:`");
  process.exit(1);
}
const file = join(import.meta.dirname, "../docs/reliability.md");
const model = (cpus()[0]?.model ?? "unknown").replaceAll(/\s+/g, " ").trim();
const machine = `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
const date = new Date().toISOString().slice(0, 10);
writeFileSync(file, addToLedger(readFileSync(file, "utf8"), { date, machine, by, ...found }));
