import { posix } from "node:path";

/**
 * Lists the faults of a built site: links of pages to files and to headings that do not exist, and
 * everything that a page loads from another server.
 * @param files the site's files by their paths: pages with their HTML, others with ""
 */
export function siteFaults(files: ReadonlyMap<string, string>): string[] {
  const faults: string[] = [];
  const anchors = new Map<string, ReadonlySet<string>>();
  for (const [path, html] of files)
    anchors.set(path, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => decodeEntities(id))));
  for (const [path, html] of files) {
    for (const [, attribute = "", raw = ""] of html.matchAll(/<[a-z]+\s[^>]*?\b(href|src)="([^"]*)"/g)) {
      const address = decodeEntities(raw);
      if (/^[a-z]+:/i.test(address) || address.startsWith("//")) {
        if (attribute === "src") faults.push(`${path} loads ${address}`);
        continue;
      }
      const [target = "", anchor = ""] = address.split("#");
      const file = target === "" ? path : fileAt(target, path, files);
      if (file === undefined) faults.push(`${path} leads to ${address}, which does not exist`);
      // "#lesson=node-dead" is a state of a page, and no heading.
      else if (anchor !== "" && !anchor.includes("=") && anchors.get(file)?.has(decodeURIComponent(anchor)) !== true)
        faults.push(`${path} leads to #${anchor} of ${file}, which does not exist`);
    }
  }
  return [...new Set(faults)];
}

/** The file with which a static file server answers. */
function fileAt(target: string, from: string, files: ReadonlyMap<string, string>): string | undefined {
  const [bare = ""] = target.split("?");
  const path = bare.startsWith("/") ? bare.slice(1) : posix.join(posix.dirname(from), decodeURIComponent(bare));
  const candidates = [path, `${path.replace(/\/$/, "")}/index.html`.replace(/^\//, ""), `${path}.html`];
  return candidates.map((each) => each.replace(/^\.\//, "")).find((each) => files.has(each));
}

function decodeEntities(text: string): string {
  return text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#x27;", "'");
}
