import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, relative, sep } from "node:path";

export interface ServedFiles extends AsyncDisposable {
  readonly url: string;
}

/**
 * Limit on connections. A browser opens six connections to a host; more come from other tabs or
 * other programs.
 */
const connectionsMax = 64;

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/**
 * Serves the files below some folders on loopback. The files are read before the first request, so
 * a request's path is never looked up on the disk.
 * @throws when the port is in use, or a folder is missing.
 */
export async function serveFiles(folders: readonly string[], { port }: { port: number }): Promise<ServedFiles> {
  const files = new Map((await Promise.all(folders.map(filesBelow))).flat());
  const server = createServer((request, response) => {
    const [path = "/"] = (request.url ?? "/").split("?");
    const content = files.get(path === "/" ? "/index.html" : path);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (content === undefined || !isRead) {
      response.writeHead(isRead ? 404 : 405, { "content-type": "text/plain; charset=utf-8" });
      return response.end(isRead ? "not found\n" : "files are read only\n");
    }
    const contentType = contentTypes[path === "/" ? ".html" : extname(path)] ?? "application/octet-stream";
    response.writeHead(200, {
      "content-type": contentType,
      "content-length": content.length,
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
    });
    response.end(request.method === "HEAD" ? undefined : content);
  });
  server.maxConnections = connectionsMax;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The files of a folder, by their paths in an address. */
async function filesBelow(folder: string): Promise<(readonly [string, Buffer])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const file = join(entry.parentPath, entry.name);
        return [`/${relative(folder, file).split(sep).join("/")}`, await readFile(file)] as const;
      }),
  );
}
