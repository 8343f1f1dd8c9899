import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Link } from "../transport/workers/link.ts";

/** The two ends of a link, connected as those of two processes are. */
export async function linkPair(): Promise<{ owner: Link; worker: Link }> {
  const folder = mkdtempSync(join(tmpdir(), "kintsugi-link-"));
  const path = join(folder, "socket");
  const server = createServer().listen(path);
  try {
    const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
    const worker = new Link(connect(path));
    return { owner: new Link(await accepted), worker };
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
