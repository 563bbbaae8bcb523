# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# For a start-up script, between registerRecordDeviceDriver and iocInit, in the folder above db: iocshLoad("db/rtstone.cmd", "P=my:")
# Macros: P and R, what names begin with; PERIOD_US between two interrupts; SAMPLES most of a set; SCAN, the time between two sets.
engineSamplerConfigure("engine", $(PERIOD_US=1000), -1)
samplerPortConfigure("S1", "engine", $(SAMPLES=1000))
dbLoadRecords("db/port.db", "P=$(P),R=$(R=),PORT=S1,SAMPLES=$(SAMPLES=1000),SCAN=$(SCAN=2 second)")
dbLoadRecords("db/health.db", "P=$(P),R=$(R=),PORT=S1")
dbLoadRecords("db/parameter.db", "P=$(P),R=$(R=),PORT=S1,SAMPLES=$(SAMPLES=1000),ADDR=0,NAME=interruptLatency,TITLE=Interrupt latency")
dbLoadRecords("db/parameter.db", "P=$(P),R=$(R=),PORT=S1,SAMPLES=$(SAMPLES=1000),ADDR=1,NAME=topToBottom,TITLE=Top to bottom half")
dbLoadRecords("db/parameter.db", "P=$(P),R=$(R=),PORT=S1,SAMPLES=$(SAMPLES=1000),ADDR=2,NAME=bottomToUserInterrupt,TITLE=Bottom half to user ISR")
dbLoadRecords("db/parameter.db", "P=$(P),R=$(R=),PORT=S1,SAMPLES=$(SAMPLES=1000),ADDR=3,NAME=contextSwitch,TITLE=Context switch")
dbLoadRecords("db/parameter.db", "P=$(P),R=$(R=),PORT=S1,SAMPLES=$(SAMPLES=1000),ADDR=4,NAME=totalResponse,TITLE=Total response")
