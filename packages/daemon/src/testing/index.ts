export { testDocumentedFile } from "./documented-file.ts";
export { testDocumentedOptions } from "./documented-options.ts";
export { makeDeepTree } from "./deep-tree.ts";
export { type LinkSwap, swapLinks } from "./swap-links.ts";
