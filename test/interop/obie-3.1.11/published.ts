import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

/** A document of the standard, by the name of its file. */
export type PublishedDocument = 'account-info' | 'payment-initiation';

interface Referring {
  $ref?: string;
}
interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, Referring & Answer> } | undefined> | undefined>;
  components: { responses: Record<string, Answer> };
}
interface Answer {
  content?: Record<string, { schema: object }>;
}

const read = (name: PublishedDocument): OpenApi => JSON.parse(readFileSync(join(__dirname, `${name}.json`), 'utf8'));

/** Codes of the standard are a closed list. A bank may add codes in a namespace of its own. */
const OWN_NAMESPACE = /^(?!UK\.OBIE\.)[A-Z][A-Za-z]*(\.[A-Z][A-Za-z]*)+$/;

const ajv = addFormats(new Ajv({ strict: false, allErrors: true }));
ajv.addKeyword({
  keyword: 'x-namespaced-enum',
  type: 'string',
  validate: (codes: string[], code: string) => codes.includes(code) || OWN_NAMESPACE.test(code),
});
const documents: Partial<Record<PublishedDocument, OpenApi>> = {};
const validators = new Map<string, ValidateFunction>();

function documentOf(name: PublishedDocument): OpenApi {
  documents[name] ??= read(name);
  if (!ajv.getSchema(name)) ajv.addSchema(documents[name], name);
  return documents[name];
}

/**
 * Checks the body of an answer against the schema that the standard publishes for it. Throws, naming every fault.
 * `operation`: as the standard writes it, `GET /accounts/{AccountId}/balances`. Throws for one that the standard lacks,
 * and for a status that it gives no body.
 */
export function expectPublished(name: PublishedDocument, operation: string, status: number, body: unknown): void {
  const key = `${name} ${operation} ${status}`;
  const validate = validators.get(key) ?? compile(name, operation, status);
  validators.set(key, validate);
  if (validate(body)) return;
  const faults = validate.errors!.map(({ instancePath, message, params }) => {
    return `${instancePath || '/'} ${message} ${JSON.stringify(params)}`;
  });
  throw new Error(`The answer of ${operation} is not as the standard publishes it:\n${faults.join('\n')}`);
}

function compile(name: PublishedDocument, operation: string, status: number): ValidateFunction {
  const document = documentOf(name);
  const [method, path] = operation.split(' ') as [string, string];
  const answer = document.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
  if (!answer) throw new Error(`The standard has no ${operation} with status ${status}`);
  const { content } = answer.$ref ? document.components.responses[answer.$ref.split('/').at(-1)!]! : answer;
  if (!content) throw new Error(`The standard has no body for ${operation} with status ${status}`);
  return ajv.compile(pointed(content['application/json; charset=utf-8']!.schema, name));
}

/** A schema of the document, with its references made to name the document. */
function pointed(schema: object, name: PublishedDocument): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${name}#/`));
}
