import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Script } from "node:vm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cacheDirectory, compiledCode } from "./compiled-code.mjs";
import { loadScripts } from "./load-scripts.mjs";
import { scriptFile, scriptOfModule } from "./script-of-module.mjs";

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "kintsugi-scripts-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const plain = { isProgram: false, laterImports: [] };

function writeScript(name: string, module: string, facts: Parameters<typeof scriptOfModule>[1] = plain): string {
  const file = join(place, "apps/a/bundle", scriptFile(name));
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, scriptOfModule(module, facts));
  return file;
}

describe("a module as a script", () => {
  test("has the same imports, exports, URL and later imports as the module", async () => {
    writeScript("c.mjs", 'var late="l\u00e4te";export{late};');
    writeScript("b.mjs", 'import"./c.mjs";var one=1;function two(){return one+1}export{one as first,two};');
    const text =
      'import{first as x,two}from"./b.mjs";import{sep}from"node:path";var sum=x+two();' +
      'var later=()=>import("./c.mjs");var url=import.meta.url;export{sum,later,url as address,sep};\n';
    const file = writeScript("a.mjs", text, { isProgram: false, laterImports: ["./c.mjs"] });
    const { sum, later, address, sep } = loadScripts()(file) as Record<string, unknown>;
    expect([sum, sep, (address as string).endsWith("/apps/a/bundle/a.script.js")]).toEqual([3, "/", true]);
    expect(await (later as () => Promise<unknown>)()).toEqual({ late: "l\u00e4te" });
    expect(readFileSync(file, "utf8")).toMatch(/^[\0-\x7f]*$/);
  });

  test("is run once, for any number of scripts that load it", () => {
    writeScript("counter.mjs", "globalThis.timesRun=(globalThis.timesRun??0)+1;");
    writeScript("b.mjs", 'import"./counter.mjs";');
    const file = writeScript("a.mjs", 'import"./counter.mjs";import"./b.mjs";');
    loadScripts()(file);
    expect((globalThis as { timesRun?: number }).timesRun).toBe(1);
  });

  test("awaits at its top level where it is a program, and fails as one", async () => {
    const file = writeScript("a.mjs", 'await null;throw new Error("no")', { isProgram: true, laterImports: [] });
    await expect(loadScripts()(file)).rejects.toThrow("no");
  });

  test.each([
    'import * as x from"./b.mjs";',
    'import x from"./b.mjs";',
    "export*from'./b.mjs';",
    "var a;export{a}from'./b.mjs';",
  ])("is refused with %s, which esbuild does not write", (text) =>
    expect(() => scriptOfModule(text, plain)).toThrow("not a module of esbuild"),
  );
});

describe("compiled code", () => {
  const source = "(function(){function f(){return 42}return{answer:f()}})";
  let program: string;
  let kept: string;
  const open = () => compiledCode(program, () => kept);
  const files = () => readdirSync(kept).map((name) => join(kept, name));
  const bytes = Buffer.from(source);
  const keepOne = () => {
    const code = open();
    code.add(program, bytes, new Script(source, { filename: program }));
    code.keep();
  };
  beforeEach(() => {
    program = writeScript("main.mjs", "");
    kept = join(place, "kept");
    mkdirSync(kept);
    writeFileSync(join(place, "package.json"), '{"version":"1.2.3"}');
  });

  test("is accepted by V8 at the next start", () => {
    expect(open().of(program, bytes)).toBeUndefined();
    keepOne();
    const cachedData = open().of(program, bytes);
    expect(cachedData).toBeDefined();
    expect(new Script(source, { filename: program, ...(cachedData && { cachedData }) }).cachedDataRejected).toBe(false);
    expect((statSync(files()[0] ?? "").mode & 0o777).toString(8)).toBe("600");
  });

  test("is stored in several turns, in addition to the code that was stored before", async () => {
    keepOne();
    const code = open();
    const other = join(program, "../other.script.js");
    code.add(other, bytes, new Script(source, { filename: other }));
    await code.keepInTurns();
    expect([open().of(program, bytes), open().of(other, bytes)]).toEqual([expect.any(Buffer), expect.any(Buffer)]);
  });

  test("is not mistaken for another text of the same length", () => {
    keepOne();
    expect(open().of(program, Buffer.from(source.replace("42", "43")))).toBeUndefined();
  });

  test.each<[string, (file: string) => void]>([
    ["that others may write", (file) => chmodSync(file, 0o666)],
    ["that is cut off", (file) => writeFileSync(file, readFileSync(file).subarray(0, 100))],
    ["that is empty", (file) => writeFileSync(file, "")],
    ["with a changed byte", (file) => writeFileSync(file, readFileSync(file).fill(0x7f, 200, 201))],
    ["with a second name", (file) => linkSync(file, join(place, "second"))],
    [
      "behind a link",
      (file) => {
        cpSync(file, join(place, "elsewhere"));
        rmSync(file);
        symlinkSync(join(place, "elsewhere"), file);
      },
    ],
  ])("is not read from a file %s", (_, spoil) => {
    keepOne();
    expect(open().of(program, bytes)).toBeDefined();
    spoil(files()[0] ?? "");
    expect(open().of(program, bytes)).toBeUndefined();
  });

  test("only costs time if the directory is not writable", () => {
    kept = join(place, "missing/folder");
    expect(keepOne).not.toThrow();
    expect(open().of(program, bytes)).toBeUndefined();
  });
});

describe("the directory of compiled code", () => {
  const user = process.getuid?.();

  test("belongs to the user alone, and has the code of one version", () => {
    const environment = { HOME: place };
    const first = cacheDirectory("1.0.0", environment);
    expect(first).toBe(join(place, ".cache/kintsugi/compiled-code/1.0.0"));
    chmodSync(first, 0o777);
    expect((statSync(cacheDirectory("1.0.0", environment)).mode & 0o777).toString(8)).toBe("700");
    cacheDirectory("2.0.0", environment);
    expect(readdirSync(join(first, ".."))).toEqual(["2.0.0"]);
  });

  const lacksRoot = user === 0 ? "" : " (skipped: only root gives files to other users)";
  test.skipIf(user !== 0)(`does not exist in the home or in the cache of another user${lacksRoot}`, () => {
    const home = join(place, "home");
    mkdirSync(home);
    execFileSync("chown", ["65534", home]);
    expect(() => cacheDirectory("1.0.0", { HOME: home })).toThrow("another user's home");
    expect(() => cacheDirectory("1.0.0", { HOME: "." })).toThrow("depends on the folder");
    const planted = join(place, "cache/kintsugi/compiled-code/1.0.0");
    mkdirSync(planted, { recursive: true });
    execFileSync("chown", ["65534", planted]);
    expect(() => cacheDirectory("1.0.0", { HOME: place, XDG_CACHE_HOME: join(place, "cache") })).toThrow(
      "another user's directory",
    );
  });
});
