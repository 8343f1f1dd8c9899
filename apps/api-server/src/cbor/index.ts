export { decodeCbor } from "./decode-cbor.ts";
export { cborBody, cborFrame, cborItem, cborListOpening } from "./encode-cbor.ts";
