import { defineConfig, type Plugin, type Rolldown } from "vite";
import { banner, onLog } from "./vite.shared.ts";

type ModuleGraph = Pick<Rolldown.PluginContext, "getModuleInfo">;

// The page's content security policy blocks style elements and style attributes that a script
// writes as text, and the terminal's library writes both. Its text is changed while it is bundled:
// elements get this project's element name (src/terminal/adopted-style.ts), attributes become
// properties.
const changes = [
  { from: 'createElement("style")', to: 'createElement("kintsugi-style")', times: 3 },
  {
    from: /_addStyle\((\w+),(\w+)\)\{\1\.setAttribute\([^{}]*\$\{[^{}]*\}\$\{\2\};`\)\}/g,
    to: "_addStyle($1,$2){$1.style.cssText+=$2+';'}",
    times: 1,
  },
] as const;

const terminalUnderPolicy: Plugin = {
  name: "terminal-under-policy",
  transform(code, id) {
    if (!id.endsWith("/@xterm/xterm/lib/xterm.mjs")) return undefined;
    let changed = code;
    for (const { from, to, times } of changes) {
      const found = typeof from === "string" ? changed.split(from).length - 1 : [...changed.matchAll(from)].length;
      if (found !== times) throw new Error(`xterm has ${found} instead of ${times} places of ${from}: read it again`);
      changed = changed.replaceAll(from, to);
    }
    if (changed.includes('setAttribute("style"')) throw new Error("xterm writes styles in a new way: read it again");
    return { code: changed, map: null };
  },
};

/** Files that the first load does not need, although the index of packages/story imports them. */
const isLater = /\/story\/src\/(pictures\/|recording\/pod-histories)/;
const isLibrary = /\/node_modules\/(preact|@preact)\/|\/packages\/(story|clock)\/src\//;
const isOwn = /\/apps\/dashboard\/src\//;
/**
 * The main program never ends, and a file is not run before the files that it imports have ended.
 */
const isMain = /\/src\/main\.tsx$/;

/** Reports whether the page imports a file when it starts, which includes no `import()`. */
function isImportedAtStart(id: string, graph: ModuleGraph): boolean {
  const info = graph.getModuleInfo(id);
  return info !== null && (info.isEntry || info.importers.some((importer) => isImportedAtStart(importer, graph)));
}

function isFirst(id: string, graph: ModuleGraph): boolean {
  if (isLibrary.test(id)) return !isLater.test(id);
  return isOwn.test(id) && !isMain.test(id) && isImportedAtStart(id, graph);
}

export default defineConfig({
  base: "/dashboard/",
  plugins: [terminalUnderPolicy],
  resolve: { conditions: ["@kintsugi/source"] },
  build: {
    outDir: "bundle",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // Files that are embedded into others as data: URLs would need another content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        banner,
        // One file for the first load is smaller than five files, each compressed with its own
        // dictionary.
        codeSplitting: {
          groups: [{ name: (id, graph) => (isFirst(id, graph) ? "first" : null), debugName: "first", priority: 1 }],
        },
      },
      onLog,
    },
  },
});
