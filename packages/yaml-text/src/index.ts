export { inlineYaml } from "./inline-yaml.ts";
export { nearestWord, suggest } from "./nearest-word.ts";
export { parseYaml } from "./parse-yaml.ts";
export { InvalidFile } from "./problem.ts";
export { yamlTokens } from "./yaml-tokens.ts";
