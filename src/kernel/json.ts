/** JSON in the whole product: values, exact numbers, parsing, printing, the stored form of events, equality. */

export { equalTo, jsonEquals, membersEqualTo } from './json-equality.ts';
export { decodeEvent, encodeEvent, isDeepEvent } from './json-event.ts';
export {
  addDecimals,
  addNumbers,
  compareNumbers,
  doubleDifference,
  NumberTooLong,
  numberForm,
  numberFromText,
  numbersEqual,
  subtractNumbers,
  toDouble,
} from './json-number.ts';
export { JsonError, parseJson, parseJsonBytes, parseStored } from './json-parse.ts';
export { isLargerThan } from './json-size.ts';
export { canonicalJson, jsonStart, type PrintedObject, prettyJson, printObject, printOnce, stringifyJson } from './json-text.ts';
export { tryParseJson } from './json-try-parse.ts';
export { ExactNumber, isArray, isNumber, isObject, type Json, type JsonObject, nonEmptyString, stringOrEmpty } from './json-value.ts';
