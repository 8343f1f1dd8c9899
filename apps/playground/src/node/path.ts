/** The part of node:path that the services use, for the simulated disks' paths. */
export const sep = "/";
export const delimiter = ":";

export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== ".." || (parts.length === 0 ? !path.startsWith("/") : parts.at(-1) === "..")) parts.push(part);
    else parts.pop();
  }
  return (
    (path.startsWith("/") ? "/" : "") + parts.join("/") + (path.endsWith("/") && parts.length > 0 ? "/" : "") || "."
  );
}

export function join(...parts: string[]): string {
  return normalize(parts.filter((part) => part !== "").join("/"));
}

export function resolve(...parts: string[]): string {
  const from = parts.findLastIndex((part) => part.startsWith("/"));
  return normalize(`/${parts.slice(Math.max(from, 0)).join("/")}`).replace(/(.)\/$/, "$1");
}

export function isAbsolute(path: string): boolean {
  return path.startsWith("/");
}

export function dirname(path: string): string {
  if (/^\/+$/.test(path)) return "/";
  const cut = path.replace(/\/+$/, "").lastIndexOf("/");
  return cut < 0 ? "." : path.slice(0, cut) || "/";
}

export function basename(path: string, suffix = ""): string {
  const name = path.replace(/\/+$/, "").split("/").at(-1) ?? "";
  return suffix !== "" && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

export function extname(path: string): string {
  const name = basename(path);
  const dot = name.lastIndexOf(".");
  return dot <= 0 || name === ".." ? "" : name.slice(dot);
}

export function relative(from: string, to: string): string {
  const [a, b] = [resolve(from), resolve(to)].map((path) => path.split("/").filter((part) => part !== "")) as [
    string[],
    string[],
  ];
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/");
}

export const posix = { sep, normalize, join, resolve, isAbsolute, dirname, basename, extname, relative };
