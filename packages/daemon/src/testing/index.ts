export { testDocumentedFile } from "./documented-file.ts";
export { testDocumentedOptions } from "./documented-options.ts";
