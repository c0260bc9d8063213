import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTE } from '../../domain/flows';

/** Their names on the wire, in the order in which they are registered. */
export const SEARCH_ATTRIBUTES = Object.values(SEARCH_ATTRIBUTE);

/** `IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD` of the Temporal API. */
const KEYWORD = 2;

/** Registers on a server that we do not run whatever attribute it lacks. Answers those it added. */
export async function registerSearchAttributes(address: string, namespace: string): Promise<string[]> {
  const connection = await Connection.connect({ address, connectTimeout: 5_000 });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = SEARCH_ATTRIBUTES.filter((name) => !(name in customAttributes));
    if (missing.length > 0) {
      const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
      await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
    }
    return missing;
  } finally {
    await connection.close();
  }
}
