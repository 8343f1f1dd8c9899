export { testDocumentedFile } from "./documented-file.ts";
