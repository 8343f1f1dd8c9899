import { posix } from "node:path";
import { withLessons } from "./lesson-embed.ts";

/** A Markdown document of the repository. */
export interface Document {
  /** Path below the repository's root: "docs/design/store.md". */
  readonly path: string;
  readonly text: string;
}

/** A page of the documentation site: the same document with links that are valid there. */
export interface SitePage {
  /** Path below the site's root; README.md becomes index.md. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

export interface SiteSection {
  readonly title: string;
  /** Paths of the pages, in order. */
  readonly pages: readonly string[];
}

export interface SitePlan {
  readonly pages: readonly SitePage[];
  /** Pictures that pages show, by their paths in the repository and in the site. */
  readonly pictures: readonly string[];
  readonly sections: readonly SiteSection[];
  /** Pages that are linked neither by a section nor by the list of kinds. */
  readonly orphans: readonly string[];
}

/** The documents at the root, in the order in which people need them. */
const startPages = [
  "README.md",
  "docs/tutorial.md",
  "docs/comparison.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "STYLE.md",
  "SECURITY.md",
];
const picturePattern = /\.(png|svg)$/;

/**
 * Plans the site of a repository's documents: the documents remain the only source, and read the
 * same on a code host. The sections are the headings of docs/README.md with the pages that it links
 * to, including generated pages.
 */
export function planPages(documents: readonly Document[]): SitePlan {
  const paths = new Set(documents.map(({ path }) => path));
  const pictures = new Set<string>();
  const pages = documents.map(({ path, text }): SitePage => ({
    path: pagePath(path),
    title: titleOf(text) ?? path,
    text: mapProse(withLessons(text, path), (prose) => relink(prose, { path, paths, pictures })),
  }));
  const sections = sectionsOf(documents, paths);
  const reached = new Set(sections.flatMap((section) => section.pages));
  return {
    pages,
    pictures: [...pictures].toSorted(),
    sections,
    orphans: pages.map(({ path }) => path).filter((path) => !reached.has(path) && !isListed(path)),
  };
}

/** The path of a document's page: the index of a folder is its README. */
export function pagePath(path: string): string {
  return path.replace(/(^|\/)README\.md$/, "$1index.md");
}

function titleOf(text: string): string | undefined {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "");
}

/** Changes text outside fences and code: their contents are not Markdown. */
function mapProse(text: string, change: (prose: string) => string): string {
  return text
    .split(/(^```[^\n]*\n[\s\S]*?^```$|`[^`\n]+`(?!\]\())/m)
    .map((piece, index) => (index % 2 === 0 ? change(piece) : piece))
    .join("");
}

interface LinkContext {
  readonly path: string;
  readonly paths: ReadonlySet<string>;
  readonly pictures: Set<string>;
}

/** A link to a file that is not a page, such as a source file, becomes the file's name. */
function relink(prose: string, context: LinkContext): string {
  const link = /(!?)\[([^\]]*)\]\((?!https?:|mailto:)([^)#\s]*)(#[^)\s]*)?\)/g;
  return prose.replaceAll(link, (...match: string[]) => {
    const [, bang = "", label = "", target = "", anchor = ""] = match;
    if (target === "") return `[${label}](${anchor})`;
    const file = posix.join(posix.dirname(context.path), target).replace(/\/$/, "");
    const page = pageAt(file, context.paths);
    if (page !== undefined) return `${bang}[${label}](${relativeTo(context.path, pagePath(page))}${anchor})`;
    if (picturePattern.test(file)) {
      context.pictures.add(file);
      return `${bang}[${label}](${relativeTo(context.path, file)})`;
    }
    const bare = label.replaceAll("`", "");
    return file.endsWith(bare) ? `\`${file}\`` : `${label} (\`${file}\`)`;
  });
}

function pageAt(file: string, paths: ReadonlySet<string>): string | undefined {
  if (paths.has(file)) return file;
  const index = file === "." ? "README.md" : `${file}/README.md`;
  return paths.has(index) ? index : undefined;
}

function relativeTo(from: string, to: string): string {
  const relative = posix.relative(posix.dirname(from), to);
  return relative.startsWith(".") ? relative : `./${relative}`;
}

function sectionsOf(documents: readonly Document[], paths: ReadonlySet<string>): SiteSection[] {
  const toPages = (list: readonly string[]) => list.filter((path) => paths.has(path)).map(pagePath);
  const start: SiteSection = { title: "Start", pages: toPages(startPages) };
  const index = documents.find(({ path }) => path === "docs/README.md")?.text ?? "";
  const own = index
    .split(/^## /m)
    .slice(1)
    .map((part): SiteSection => {
      const [title = "", ...rest] = part.split("\n");
      const links = [...rest.join("\n").matchAll(/\]\(([^)#\s]+)/g)].map(([, target = ""]) =>
        posix.join("docs", target),
      );
      return { title, pages: toPages([...new Set(links)].filter((path) => !startPages.includes(path))) };
    });
  const under = (folder: string) =>
    documents.map(({ path }) => path).filter((path) => path.startsWith(folder) && !own.some(hasPage(path)));
  return [
    start,
    ...own,
    { title: "Printed by the programs", pages: toPages(under("docs/reference/").filter((path) => !isListed(path))) },
    { title: "The parts", pages: toPages([...under("apps/"), ...under("packages/")]) },
    { title: "Suites and machines", pages: toPages([...under("test/"), ...under("deploy/")]) },
    { title: "About", pages: toPages(["docs/README.md", "CHANGELOG.md"]) },
  ].filter(({ pages }) => pages.length > 0);
}

/** Pages of single kinds are linked by the page that lists them, because they are many. */
function isListed(path: string): boolean {
  return path.startsWith("docs/reference/kinds/");
}

function hasPage(path: string) {
  return ({ pages }: SiteSection) => pages.includes(pagePath(path));
}
