import { api } from './settings-api';
import { auditExport, messages, notifications } from './settings-delivery';
import { keyService } from './settings-keys';
import { openBanking } from './settings-open-banking';
import { engine, running, secrets } from './settings-platform';
import { simulator, worker } from './settings-processes';
import { timers } from './settings-timers';

/**
 * Every setting, by the table of docs/settings.md that shows it. In each section a setting stands in the place that its
 * value takes in Config.
 */
export const SECTIONS = {
  running,
  engine,
  secrets,
  keyService,
  api,
  timers,
  openBanking,
  notifications,
  messages,
  auditExport,
  worker,
  simulator,
};

/** Every setting in its place in Config. */
export const SETTINGS = {
  ...running,
  ...engine,
  ...secrets,
  ...keyService,
  ...api,
  ...timers,
  ...openBanking,
  ...notifications,
  ...messages,
  ...auditExport,
  ...worker,
  ...simulator,
};
