import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { siteFaults } from "./check-site.ts";
import { generatedPages } from "./generated-pages.ts";
import { planPages } from "./plan-pages.ts";

// npm run docs: the documents of the repository as a static site in docs/dist/out, which any file
// server can serve.

const repository = join(import.meta.dirname, "../..");
const site = join(repository, "docs/dist");
/** Folders of a copy whose documents duplicate other documents. */
const noDocuments: ReadonlySet<string> = new Set(["node_modules", "bundle", "dist"]);

const documents = documentPaths().map((path) => ({ path, text: readFileSync(join(repository, path), "utf8") }));
const plan = planPages([...documents, ...generatedPages(repository)]);

if (plan.orphans.length > 0) throw new Error(`docs/README.md does not lead to ${plan.orphans.join(", ")}`);

rmSync(site, { recursive: true, force: true });
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(site, path)), { recursive: true });
  writeFileSync(join(site, path), text);
};
for (const { path, text } of plan.pages) write(join("pages", path), text);
for (const picture of plan.pictures) {
  mkdirSync(dirname(join(site, "pages", picture)), { recursive: true });
  copyFileSync(join(repository, picture), join(site, "pages", picture));
}
write(
  "plan.json",
  JSON.stringify({ pages: plan.pages.map(({ path, title }) => ({ path, title })), sections: plan.sections }),
);

const rspress = join(repository, "node_modules/@rspress/core/bin/rspress.js");
execFileSync(process.execPath, [rspress, "build", "--config", join(import.meta.dirname, "rspress.config.ts")], {
  cwd: site,
  stdio: "inherit",
});

const out = join(site, "out");
// The playground is a separate page, with a worker.
for (const part of ["dashboard/playground/bundle", "playground/bundle"])
  cpSync(join(repository, "apps", part), join(out, "playground"), { recursive: true });
absoluteShareImage(join(out, "playground/index.html"), process.env["KINTSUGI_SITE"]);
const files = new Map(
  readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name).slice(out.length + 1);
      return [path, path.endsWith(".html") ? readFileSync(join(out, path), "utf8") : ""] as const;
    }),
);
const faults = siteFaults(files);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${plan.pages.length} pages are in docs/dist/out, with ${faults.length} dead ends.\n`);
if (faults.length > 0) process.exitCode = 1;

/**
 * Social networks show the picture of a link by its absolute address, which the owner of the site
 * configures.
 */
function absoluteShareImage(page: string, address: string | undefined): void {
  if (address === undefined || address === "") return;
  const image = new URL("playground/share.png", address.endsWith("/") ? address : `${address}/`).href;
  const text = readFileSync(page, "utf8");
  writeFileSync(page, text.replace('content="share.png"', `content="${image}"`));
}

/** The documents of a clone; in a copy without history, as in images, all files. */
function documentPaths(): string[] {
  if (existsSync(join(repository, ".git"))) {
    const args = ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"];
    const listed = execFileSync("git", args, { cwd: repository, encoding: "utf8" });
    return listed.split("\n").filter((path) => path !== "");
  }
  return markdownBelow("");
}

function markdownBelow(folder: string): string[] {
  return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return entry.name.startsWith(".") || noDocuments.has(entry.name) ? [] : markdownBelow(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}
