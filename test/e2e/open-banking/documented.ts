import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { projectRoot } from '../../setup/project';
import type { Json } from '../client';

const document: Json = JSON.parse(readFileSync(join(projectRoot, 'docs/openapi.json'), 'utf8'));
const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
ajv.addSchema(document, 'document');
const validators = new Map<string, ValidateFunction>();

/**
 * Checks the body of an answer against our own API document. Throws, naming every fault, and for an operation or a status
 * that the document lacks. `operation`: `GET /open-banking/2.0.0/accounts`.
 */
export function expectDocumented(operation: string, status: number, body: unknown): void {
  const key = `${operation} ${status}`;
  const validate = validators.get(key) ?? compile(operation, status);
  validators.set(key, validate);
  if (validate(body)) return;
  const faults = validate.errors!.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
  throw new Error(`The answer of ${operation} is not as we document it:\n${faults.join('\n')}`);
}

function compile(operation: string, status: number): ValidateFunction {
  const [method, path] = operation.split(' ') as [string, string];
  const response = document.paths[path]?.[method.toLowerCase()]?.responses[status];
  if (!response) throw new Error(`Our document has no ${operation} with status ${status}`);
  const answer = response.$ref ? document.components.responses[response.$ref.split('/').at(-1)] : response;
  const schema = JSON.stringify(answer.content['application/json'].schema);
  return ajv.compile(JSON.parse(schema.replaceAll('"$ref":"#/', '"$ref":"document#/')));
}
