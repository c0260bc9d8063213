import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTE } from '../../domain/flows';
import type { EngineAccess } from './engine';

/** Their names on the wire, in the order in which they are registered. */
export const SEARCH_ATTRIBUTES = Object.values(SEARCH_ATTRIBUTE);

/** `IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD` of the Temporal API. */
const KEYWORD = 2;

/** gRPC statuses. */
const INVALID_ARGUMENT = 3;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

/**
 * Registers on a server that we do not run whatever attribute it lacks. Answers those it added. A managed account may let
 * nobody see or add them this way: then rejects, with what a person has to do there, unless all are there.
 */
export async function registerSearchAttributes(access: EngineAccess, namespace: string): Promise<string[]> {
  const connection = await Connection.connect({ ...access, connectTimeout: 5_000 });
  try {
    return await addMissing(connection, namespace);
  } catch (error) {
    if (!isAnswer(error, [PERMISSION_DENIED, UNIMPLEMENTED])) throw error;
    const missing = await unsearchable(connection, namespace);
    if (missing.length > 0) throw new Error(instructions(namespace, missing));
    return [];
  } finally {
    await connection.close();
  }
}

async function addMissing({ operatorService }: Connection, namespace: string): Promise<string[]> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const missing = SEARCH_ATTRIBUTES.filter((name) => !(name in customAttributes));
  if (missing.length > 0) {
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
    await operatorService.addSearchAttributes({ namespace, searchAttributes });
  }
  return missing;
}

/** Those that a list of workflows may not be filtered by: this much every account may ask. */
async function unsearchable({ workflowService }: Connection, namespace: string): Promise<string[]> {
  const missing: string[] = [];
  for (const name of SEARCH_ATTRIBUTES)
    await workflowService.countWorkflowExecutions({ namespace, query: `${name} = 'none'` }).catch((error: unknown) => {
      if (!isAnswer(error, [INVALID_ARGUMENT])) throw error;
      missing.push(name);
    });
  return missing;
}

function instructions(namespace: string, missing: readonly string[]): string {
  const commands = missing.map(
    (name) => `tcld namespace search-attributes add --namespace ${namespace} --search-attribute "${name}=Keyword"`,
  );
  return (
    `the engine does not let us add search attributes to the namespace ${namespace}. Add these keywords there, on its ` +
    `web pages or with these commands, then run the job again:\n${commands.join('\n')}`
  );
}

function isAnswer(error: unknown, statuses: readonly number[]): boolean {
  return error instanceof Error && 'code' in error && statuses.includes(error.code as number);
}
