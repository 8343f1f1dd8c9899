export { inlineYaml } from "./inline-yaml.ts";
export { suggest } from "./nearest-word.ts";
export { parseYaml } from "./parse-yaml.ts";
export { InvalidFile } from "./problem.ts";
