// The library requires that reflect-metadata is imported first.
import "reflect-metadata";

// The exports are named one by one, because in a build with shared chunks, a separate module
// exports only these names of a CommonJS library.
export {
  Name,
  PemConverter,
  Pkcs10CertificateRequest,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from "@peculiar/x509";
