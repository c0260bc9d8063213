import { seesEveryPage } from './every-page';

seesEveryPage('merchant', 15);
