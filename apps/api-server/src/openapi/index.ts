export { createOpenApi } from "./open-api-documents.ts";
