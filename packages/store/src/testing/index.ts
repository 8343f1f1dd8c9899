export { dataOf, deleteKey, encodedObject, putData, putOf, resourceVersionOf } from "./changes.ts";
