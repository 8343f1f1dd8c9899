import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { repository } from "../lab-cluster.ts";

const folders = ["apps/dashboard/playground/bundle", "apps/playground/bundle"].map((each) => join(repository, each));
const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

interface ServedPlayground extends Disposable {
  readonly url: string;
  /** The bytes of each answered path. */
  readonly sent: Map<string, number>;
  /** The method and the address of each request: "GET /index.html". */
  readonly asked: string[];
}

/** Serves the bundles of the playground and of its articles. */
export async function servePlayground(): Promise<ServedPlayground> {
  const sent = new Map<string, number>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = pathname === "/" ? "/index.html" : pathname;
    const found = Promise.any(folders.map((folder) => readFile(join(folder, path))));
    found.then(
      (content) => {
        sent.set(path, content.length);
        const contentType = contentTypes[extname(path)] ?? "application/octet-stream";
        response.writeHead(200, { "content-type": contentType }).end(content);
      },
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    sent,
    asked,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
