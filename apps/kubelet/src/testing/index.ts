export { kubeletRoutes } from "../server/routes.ts";
