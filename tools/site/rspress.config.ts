import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "@rspress/core";
import type { SitePlan } from "./plan-pages.ts";

const site = join(import.meta.dirname, "../../docs/dist");
const { pages, sections } = JSON.parse(readFileSync(join(site, "plan.json"), "utf8")) as Pick<
  SitePlan,
  "pages" | "sections"
>;
const titles = new Map(pages.map(({ path, title }) => [path, title]));
const link = (path: string) => `/${path.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")}`;

export default defineConfig({
  root: join(site, "pages"),
  outDir: join(site, "out"),
  title: "Kintsugi",
  description: "A Kubernetes-compatible control plane in which you see a cluster mend itself",
  // The site can be read without a network, from any file server.
  search: { codeBlocks: true },
  themeConfig: {
    nav: [
      { text: "Tutorial", link: "/docs/tutorial" },
      { text: "Playground", link: "/playground/" },
      { text: "Articles", link: "/playground/articles/kubelet.html" },
    ],
    sidebar: {
      "/": sections.map((section) => ({
        text: section.title,
        collapsible: true,
        collapsed: section.pages.length > 12,
        items: section.pages.map((path) => ({ text: titles.get(path) ?? path, link: link(path) })),
      })),
    },
  },
});
