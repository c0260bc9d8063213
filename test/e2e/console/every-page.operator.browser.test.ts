import { seesEveryPage } from './every-page';

seesEveryPage('ops', 20);
