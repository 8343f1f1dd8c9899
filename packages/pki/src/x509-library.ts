// The library requires that the first is imported before it.
import "reflect-metadata";

// Named one by one, because in a build with shared chunks, a separate module exports only these
// names of a CommonJS library.
export {
  Name,
  PemConverter,
  Pkcs10CertificateRequest,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from "@peculiar/x509";
