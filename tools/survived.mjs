// Counts of what the product survived in searches for failures: they can be added, are in one line,
// and have their ledger in docs/reliability.md.

/** The kinds of counts, in the order of the line and of the ledger's columns. */
export const kinds = [
  { key: "runs", head: "runs" },
  { key: "bugs", head: "planted bugs found" },
  { key: "chaosOne", head: "min chaos, one server" },
  { key: "chaosThree", head: "min chaos, three servers" },
  { key: "requests", head: "drawn requests" },
  { key: "writes", head: "acknowledged writes" },
  { key: "kills", head: "kills" },
];

const none = Object.fromEntries(kinds.map(({ key }) => [key, 0]));

/** Adds counts; a missing count is 0. Minutes have one decimal. */
export function addSurvived(all) {
  const sum = { ...none };
  for (const counts of all)
    for (const { key } of kinds) sum[key] = Math.round((sum[key] + (counts[key] ?? 0)) * 10) / 10;
  return sum;
}

/** Writes the line of counts, with the commits to which they apply. */
export function survivedLine(counts, commits) {
  const { runs, bugs, chaosOne, chaosThree, requests, writes, kills } = addSurvived([counts]);
  const at = commits.length === 0 ? "" : ` (${commits.length === 1 ? "commit" : "commits"} ${commits.join(", ")})`;
  return (
    `survived: ${grouped(runs)} runs, ${grouped(bugs)} planted bugs found, ` +
    `${grouped(chaosOne)} min chaos (one server), ${grouped(chaosThree)} min chaos (three servers), ` +
    `${grouped(requests)} requests, ${grouped(writes)} acknowledged writes over ${grouped(kills)} kills${at}`
  );
}

const number = String.raw`([\d,]+(?:\.\d)?)`;
const pattern = new RegExp(
  `survived: ${number} runs, ${number} planted bugs found, ${number} min chaos \\(one server\\), ` +
    `${number} min chaos \\(three servers\\), ${number} requests, ${number} acknowledged writes over ${number} kills` +
    String.raw`(?: \(commits? ([\w, ]+)\))?`,
);

/** Reads such a line; undefined when the text lacks it. */
export function readSurvived(text) {
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const counts = Object.fromEntries(kinds.map(({ key }, at) => [key, Number(found[at + 1].replaceAll(",", ""))]));
  return { counts, commits: found[8] === undefined ? [] : found[8].split(", ") };
}

/** Reads the output of the simulator's seeds. Runs in which too little happened are not counted. */
export function readRuns(output) {
  const [, all, voids] = /^(\d+) seeds in .*?, (\d+) of them void/m.exec(output) ?? [];
  if (voids === undefined) return undefined;
  const failed = output.match(/^FAILED seed/gm)?.length ?? 0;
  return { runs: Number(all) - Number(voids) - failed };
}

/** Reads the output of `npm run fuzz`. */
export function readRequests(output) {
  const [, requests] = /^seed \d+: (\d+) requests to \d+ routes/m.exec(output) ?? [];
  return requests === undefined ? undefined : { requests: Number(requests) };
}

export function grouped(count) {
  const [whole, decimals] = String(count).split(".");
  const groups = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return decimals === undefined ? groups : `${groups}.${decimals}`;
}

const totalStart = "| **all** |";

/** Reads the counts of the rows of a ledger, without its total. */
export function readLedger(markdown) {
  return ledgerRows(markdown).map((row) => countsOf(row));
}

/** Reads the total of a ledger. */
export function readTotal(markdown) {
  const row = markdown.split("\n").find((line) => line.startsWith(totalStart));
  return row === undefined ? undefined : countsOf(row);
}

/** Adds a row to a ledger, and updates its total. */
export function addToLedger(markdown, { date, commits, machine, by, counts }) {
  const row = `| ${date} | ${commits.join(", ")} | ${machine} | ${cells(counts)} | ${by} |`;
  const total = addSurvived([...readLedger(markdown), counts]);
  return markdown
    .split("\n")
    .flatMap((line) => (line.startsWith(totalStart) ? [row, `${totalStart} | | ${cells(total, "**")} | |`] : [line]))
    .join("\n");
}

const cells = (counts, mark = "") =>
  kinds.map(({ key }) => (counts[key] ? `${mark}${grouped(counts[key])}${mark}` : "")).join(" | ");

function ledgerRows(markdown) {
  return markdown.split("\n").filter((line) => /^\| \d{4}-\d\d-\d\d/.test(line));
}

/** The counts are in the columns after date, commits and machine. */
function countsOf(row) {
  const columns = row.split("|").map((cell) => cell.trim());
  const read = (cell) => Number(cell.replaceAll(/[*,]/g, "") || "0");
  return Object.fromEntries(kinds.map(({ key }, at) => [key, read(columns[at + 4] ?? "")]));
}
