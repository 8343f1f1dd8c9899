export { createOpenApiMaker } from "./make-documents.ts";
export { createOpenApiRoute } from "./open-api-route.ts";
