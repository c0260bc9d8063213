import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOTIFICATION_MEANINGS } from '../../../src/domain/notification-type';
import { projectRoot } from '../../setup/project';

test('docs/notifications.md says of every type what has happened, and of no other', () => {
  const page = readFileSync(join(projectRoot, 'docs/notifications.md'), 'utf8');
  const [, table = ''] = /^\| Type +\| What has happened +\|\n\|[^\n]*\n((?:\|[^\n]*\n)+)/m.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `([^`]+)` +\| (.*?) +\|$/gm)].map(([, type, meaning]) => [type, meaning]);
  expect(Object.fromEntries(rows)).toEqual(NOTIFICATION_MEANINGS);
});
