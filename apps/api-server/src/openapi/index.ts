export { createOpenApiMaker } from "./open-api-documents.ts";
export { createOpenApiRoute } from "./open-api-route.ts";
