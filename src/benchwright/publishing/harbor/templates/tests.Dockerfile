# The machine of the verifier: Benchwright as it was when this folder was written, and the task's gold. The agent's machine
# never sees either. The network is needed while this image is built, and not while it judges.
FROM python:$python-slim
COPY requirements.txt $wheel /opt/verifier/
RUN pip install --no-cache-dir -r /opt/verifier/requirements.txt \
 && pip install --no-cache-dir --no-deps /opt/verifier/$wheel
COPY . /tests/
WORKDIR /workspace
