export { apiServices } from "./api-service/api-service-type.ts";
export type { APIService, APIServiceCondition } from "./api-service/api-service.ts";
