# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The IOC's start-up script. RTSTONE_IOC_… macros come from the environment; each has a default, and docs/reference/ioc.md lists them.
on error break

dbLoadDatabase("base.dbd", "$(RTSTONE_IOC_BASE_DBD)")
dbLoadDatabase("rtstone.dbd", "$(RTSTONE_IOC_DBD)")
${RTSTONE_IOC_PVA=#} loadLibrary("$(RTSTONE_IOC_PVA_LIBRARY=)")
${RTSTONE_IOC_PVA=#} dbLoadDatabase("pvxsIoc.dbd", "$(RTSTONE_IOC_PVA_DBD=)")
${RTSTONE_IOC_OUTSIDE=#} loadLibrary("$(RTSTONE_IOC_PLACE=)/librtstone-engine.so")
${RTSTONE_IOC_OUTSIDE=#} dbLoadDatabase("account.dbd", "$(RTSTONE_IOC_DBD)")
${RTSTONE_IOC_SPLIT=#} loadLibrary("$(RTSTONE_IOC_PLACE=)/librtstone-split.so")
${RTSTONE_IOC_SPLIT=#} dbLoadDatabase("split.dbd", "$(RTSTONE_IOC_DBD)")
registerAllRecordDeviceDrivers

${RTSTONE_IOC_ENGINE=} engineSamplerConfigure("engine", $(RTSTONE_IOC_PERIOD_US=1000), $(RTSTONE_IOC_CPU=-1))
${RTSTONE_IOC_PROBE=#} probeSamplerConfigure("probe", "$(RTSTONE_IOC_DEVICE=)", $(RTSTONE_IOC_PERIOD_US=1000), $(RTSTONE_IOC_CPU=-1), $(RTSTONE_IOC_USER_ISR=0))
${RTSTONE_IOC_SPLIT=#} splitSamplerConfigure("split", $(RTSTONE_IOC_PERIOD_US=1000), $(RTSTONE_IOC_CPU=-1))
samplerPortConfigure("S1", "$(RTSTONE_IOC_SAMPLER=engine)", $(RTSTONE_IOC_SAMPLES=10000), $(RTSTONE_IOC_PATIENCE_S=5))

dbLoadRecords("$(RTSTONE_IOC_DB)/port.db", "P=$(RTSTONE_IOC_PREFIX=rtstone:),R=$(RTSTONE_IOC_R=),PORT=S1,SAMPLES=$(RTSTONE_IOC_SAMPLES=10000),SCAN=$(RTSTONE_IOC_SCAN=Passive)")
dbLoadRecords("$(RTSTONE_IOC_DB)/health.db", "P=$(RTSTONE_IOC_PREFIX=rtstone:),R=$(RTSTONE_IOC_R=),PORT=S1")
dbLoadRecords("$(RTSTONE_IOC_DB)/parameter.db", "P=$(RTSTONE_IOC_PREFIX=rtstone:),R=$(RTSTONE_IOC_R=),PORT=S1,SAMPLES=$(RTSTONE_IOC_SAMPLES=10000),ADDR=0,NAME=interruptLatency,TITLE=Interrupt latency")
dbLoadRecords("$(RTSTONE_IOC_DB)/parameter.db", "P=$(RTSTONE_IOC_PREFIX=rtstone:),R=$(RTSTONE_IOC_R=),PORT=S1,SAMPLES=$(RTSTONE_IOC_SAMPLES=10000),ADDR=1,NAME=topToBottom,TITLE=Top to bottom half")
dbLoadRecords("$(RTSTONE_IOC_DB)/parameter.db", "P=$(RTSTONE_IOC_PREFIX=rtstone:),R=$(RTSTONE_IOC_R=),PORT=S1,SAMPLES=$(RTSTONE_IOC_SAMPLES=10000),ADDR=2,NAME=bottomToUserInterrupt,TITLE=Bottom half to user ISR")
dbLoadRecords("$(RTSTONE_IOC_DB)/parameter.db", "P=$(RTSTONE_IOC_PREFIX=rtstone:),R=$(RTSTONE_IOC_R=),PORT=S1,SAMPLES=$(RTSTONE_IOC_SAMPLES=10000),ADDR=3,NAME=contextSwitch,TITLE=Context switch")
dbLoadRecords("$(RTSTONE_IOC_DB)/parameter.db", "P=$(RTSTONE_IOC_PREFIX=rtstone:),R=$(RTSTONE_IOC_R=),PORT=S1,SAMPLES=$(RTSTONE_IOC_SAMPLES=10000),ADDR=4,NAME=totalResponse,TITLE=Total response")
${RTSTONE_IOC_LOAD=#} dbLoadRecords("$(RTSTONE_IOC_LOAD_DB=)")
${RTSTONE_IOC_OUTSIDE=#} dbLoadRecords("$(RTSTONE_IOC_DB)/account.db", "P=$(RTSTONE_IOC_PREFIX=rtstone:)load:")
${RTSTONE_IOC_KEEP=#} settingsKeep("$(RTSTONE_IOC_SETTINGS=)")

# One for every put that waits for its confirmation, which is lost where there is no room; base's own 2000 are few beside a burst of the load.
callbackSetQueueSize($(RTSTONE_IOC_CALLBACKS=2000))
var asCheckClientIP 1
asSetSubstitutions("INTERFACE=$(RTSTONE_IOC_INTERFACE=127.0.0.1)")
asSetFilename("$(RTSTONE_IOC_ACF)")
iocInit
samplerReport
