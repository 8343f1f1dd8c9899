// Turns an ES module that esbuild has made into a script: a function that gets the means to load
// other scripts and returns its exports. V8's compiled code of a script can be kept in a file, on
// all versions of Node.js, with the functions that were compiled when they were called first.
//
//   import{a as b}from"./chunk-X.mjs";var c=b+1;export{c as d};
//   (function(__load,require,__filename,__dirname){"use strict";
//   const{a:b}=__load("./chunk-X.script.js");var c=b+1;return{d:c};})
//
// An import becomes a constant, so a file must not change a name that it exports once it is loaded.
// Chunks do not import each other in circles, because a chunk has the code of one set of programs
// and imports only chunks of larger sets.

const importAtTop = /^import(?:\{([^}]*)\}from)?"([^"]+)";/;
const exportsAtEnd = /export\{([^}]*)\};\s*$/;

/**
 * @param {string} text A module without esbuild's banner.
 * @param {{ isProgram: boolean; laterImports: readonly string[] }} facts
 *   Whether it may await at its top level, and the paths that it imports with `import()`.
 * @throws Error for a module that has other imports or exports.
 */
export function scriptOfModule(text, { isProgram, laterImports }) {
  let body = text;
  let head = "";
  for (let match = importAtTop.exec(body); match !== null; match = importAtTop.exec(body)) {
    const [whole, names, path] = match;
    body = body.slice(whole.length);
    const from = loadingOf(path);
    head += names === undefined ? `${from};` : `const{${renamed(names, "$1:$2")}}=${from};`;
  }
  const [end = "", names = ""] = exportsAtEnd.exec(body) ?? [];
  body = body.slice(0, body.length - end.length);
  for (const path of laterImports)
    body = body.replaceAll(`import(${JSON.stringify(path)})`, `Promise.resolve().then(()=>${loadingOf(path)})`);
  if (body.includes("import.meta.url")) {
    body = body.replaceAll("import.meta.url", "__moduleUrl");
    head += 'const __moduleUrl=require("node:url").pathToFileURL(__filename).href;';
  }
  if (/^import\b(?!\()|(^|[;}\n])export\s*[{*]/.test(body))
    throw new Error(`not a module of esbuild: ${text.slice(0, 200)}`);
  const start = `(${isProgram ? "async " : ""}function(__load,require,__filename,__dirname){"use strict";`;
  return toAscii(`${start}${head}${body}\nreturn{${renamed(names, "$2:$1")}};})\n`);
}

/** The file of a script, by the file of its module. */
export function scriptFile(module) {
  return module.replace(/\.mjs$/, ".script.js");
}

function loadingOf(path) {
  return path.startsWith(".") ? `__load(${JSON.stringify(scriptFile(path))})` : `require(${JSON.stringify(path)})`;
}

/** "a as b,c" as "a:b,c" or "b:a,c". */
function renamed(names, pair) {
  return names.replaceAll(/([^\s,]+) as ([^\s,]+)/g, pair);
}

/** esbuild escapes all characters that are not ASCII, except in comments and patterns. */
function toAscii(text) {
  return text.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
