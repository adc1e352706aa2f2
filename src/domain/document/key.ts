/** What a document may be called: no key needs an escape in a path, a subject or a counter (spec: runtime 2.2). */
export const DOCUMENT_KEY = /^[A-Za-z0-9_:-]{1,256}$/;
