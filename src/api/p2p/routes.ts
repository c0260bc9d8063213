import type { Route } from '../server/route';
import type { P2pDependencies } from './dependencies';
import { memberRoutes } from './member-routes';
import { moneyRequestRoutes } from './money-request-routes';
import { scheduleRoutes } from './schedule-routes';
import { transferRoutes } from './transfer-routes';

/** Transfers between customers: membership, transfers, requests for money and schedules. */
export function p2pRoutes(deps: P2pDependencies): Route[] {
  return [...memberRoutes(deps), ...transferRoutes(deps), ...moneyRequestRoutes(deps), ...scheduleRoutes(deps)];
}
